// Package capture takes pictures of an X display.
//
// A screen of 1024×768 takes about 8 ms over the socket, on two busy cores. So
// shared memory, whose segments outlive a killed process, is not used.
package capture

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// Capturer takes pictures of one display. It is safe for concurrent use.
type Capturer struct {
	conn   *xconn.Conn
	pixels layout
}

// Open connects to the display of that name, which must not be "".
// *desktop.EnvironmentError where it does not answer in time.
func Open(ctx context.Context, display string) (*Capturer, error) {
	conn, err := xconn.Dial(ctx, display, nil)
	if err != nil {
		return nil, err
	}
	pixels, err := layoutOf(conn.Setup, conn.Screen)
	if err != nil {
		conn.Close()
		return nil, &desktop.EnvironmentError{Part: desktop.PartDisplay, Err: err}
	}
	return &Capturer{conn, pixels}, nil
}

// Close ends the connection.
func (c *Capturer) Close() error {
	c.conn.Close()
	return nil
}

// Capture takes a picture of the region, clipped to the screen, or of the
// whole screen for an empty one. Positions in the image are screen positions.
// An error where the region lies outside the screen.
func (c *Capturer) Capture(ctx context.Context, region desktop.Rect) (*image.RGBA, error) {
	return xconn.Do(ctx, c.conn, "taking a screenshot", func() (*image.RGBA, error) {
		x, root := c.conn.X, xproto.Drawable(c.conn.Root)
		screen, err := xproto.GetGeometry(x, root).Reply()
		if err != nil {
			return nil, err
		}
		area := image.Rect(0, 0, int(screen.Width), int(screen.Height))
		if !region.Empty() {
			area = area.Intersect(region.Image())
		}
		if area.Empty() {
			return nil, fmt.Errorf("the region %v lies outside the screen (%d×%d)", region.Image(), screen.Width, screen.Height)
		}
		reply, err := xproto.GetImage(x, xproto.ImageFormatZPixmap, root,
			int16(area.Min.X), int16(area.Min.Y), uint16(area.Dx()), uint16(area.Dy()), ^uint32(0)).Reply()
		if err != nil {
			return nil, err
		}
		return c.pixels.image(reply.Data, area)
	})
}

// WritePNG writes the image to path, fast rather than small. A file that
// could not be written in full is taken away again.
func WritePNG(path string, img image.Image) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			os.Remove(path)
		}
	}()
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return encoder.Encode(f, img)
}
