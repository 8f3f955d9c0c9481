package cli

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/opendesk/opendesk/harness/worker"
	"github.com/spf13/cobra"
)

// recorder is the program that films displays.
const recorder = "ffmpeg"

// noRecorder says what is missing and how to get it.
const noRecorder = recorder + " is not on PATH: there are no videos (Debian/Ubuntu: apt-get install " + recorder + ")"

// video says how attempts are filmed. Without a recorder they are not, which is
// told: no verdict depends on it.
func (e *evaluation) video() worker.Video {
	keep := worker.Trace(e.options.video)
	if keep == "" || keep == worker.TraceOff {
		return worker.Video{}
	}
	path, err := exec.LookPath(recorder)
	if err != nil {
		fmt.Fprintln(e.st.Stderr, "opendesk: --video: "+noRecorder)
		e.start.Notes = append(e.start.Notes, "--video: "+noRecorder)
		return worker.Video{}
	}
	return worker.Video{Keep: keep, Recorder: path}
}

// newVideo is the hidden command that becomes the recorder of a display. Its
// file descriptor 3 is the recorder's standard input, by which it is told to
// end its film.
func newVideo() *cobra.Command {
	var program, display, geometry string
	cmd := &cobra.Command{
		Use:    "video FILE",
		Short:  "Film a display (started by a session host)",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return &exit{exitInternal, becomeRecorder(program, recorderArgs(display, geometry, args[0]))}
		},
	}
	cmd.Flags().StringVar(&program, "recorder", "", "the recorder's path")
	cmd.Flags().StringVar(&display, "display", "", "the display")
	cmd.Flags().StringVar(&geometry, "geometry", "", "its size and depth, WIDTHxHEIGHTxDEPTH")
	return cmd
}

// recorderArgs film at 10 pictures a second, so that what was written can be
// played also where the recorder was killed: every second is on its own, and
// nothing is held back.
func recorderArgs(display, geometry, file string) []string {
	args := []string{recorder, "-hide_banner", "-nostats", "-loglevel", "error", "-y", "-f", "x11grab", "-framerate", "10"}
	if size := strings.Split(geometry, "x"); len(size) >= 2 {
		args = append(args, "-video_size", size[0]+"x"+size[1])
	}
	return append(args, "-i", display,
		"-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-crf", "28", "-g", "50", "-threads", "1",
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
		"-fs", "512M", "-flush_packets", "1", "-cluster_time_limit", "1000", "-f", "matroska", file)
}
