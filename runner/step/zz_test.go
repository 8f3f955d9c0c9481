//go:build linux && cgo

package step_test

import (
	"fmt"
	"os/exec"
	"time"

	. "github.com/onsi/ginkgo/v2"
)

var _ = It("zz", func(ctx SpecContext) {
	a := open(ctx, "tickets", "tickets/chromium.sh", "--force-renderer-accessibility")
	tg := `"identifier":"visitor"`
	spare := []int{181, 182, 185, 186, 189, 191, 192, 193, 194, 195, 196, 198, 199, 200, 201, 208, 209, 210, 211, 212, 213, 214, 215, 216, 220, 221, 223, 224, 225, 226, 227, 228, 229, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 249, 250, 251, 252, 253, 254, 255}
	a.does(ctx, "ui", typeParams("x"), tg)
	for _, code := range spare {
		if _, err := a.tries(ctx, 4*time.Second, "ui", `{"action":"press_key","key":"a","modifiers":["cmd"]}`, tg); err != nil {
			fmt.Println("reopening before", code)
			desk.CloseApp(ctx, "tickets", 3*time.Second)
			a = open(ctx, "tickets", "tickets/chromium.sh", "--force-renderer-accessibility")
		}
		a.does(ctx, "ui", typeParams("x"), tg)
		exec.Command("xmodmap", "-e", fmt.Sprintf("keycode %d = U4e00 U4e00", code)).Run()
		time.Sleep(30 * time.Millisecond)
		exec.Command("xdotool", "key", fmt.Sprint(code)).Run()
		time.Sleep(150 * time.Millisecond)
		out, err := a.tries(ctx, 3*time.Second, "ui", `{"action":"get_value"}`, tg)
		if out.Value != "x一" {
			fmt.Println(code, out.Value, err)
		}
		if err != nil {
			presses(ctx, "F5")
			w, _ := desk.FocusedWindow(ctx)
			fmt.Println(w)
		}
	}
}, SpecTimeout(4*time.Minute))
