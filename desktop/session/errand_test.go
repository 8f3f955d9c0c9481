//go:build linux

package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// errandOrder is an errand of these tests: a command, and a path to ask about.
type errandOrder struct {
	Command []string `json:"command"`
	Path    string   `json:"path"`
	Memory  int64    `json:"memory"`
}

// errandAnswer is what it gives.
type errandAnswer struct {
	Code    int    `json:"code"`
	Visible bool   `json:"visible"`
	Keeps   string `json:"keeps"`
	Reached int64  `json:"reached"`
	Error   string `json:"error"`
}

// errandForTest runs the order's command. Its output goes to the file that came
// with it.
func errandForTest(ctx context.Context, e *Errand) json.RawMessage {
	var o errandOrder
	var a errandAnswer
	err := json.Unmarshal(e.Order, &o)
	a.Visible = e.Visible(o.Path)
	group := e.Group(o.Memory, 0)
	var p *ErrandProcess
	if err == nil {
		var null *os.File
		if null, err = os.Open(os.DevNull); err == nil {
			p, err = e.Start(o.Command[0], o.Command[1:], []string{"PATH=/usr/bin:/bin"}, []*os.File{null, e.Files[0], e.Files[0]}, group)
			err = errors.Join(err, null.Close())
		}
	}
	if err == nil {
		select {
		case <-p.Done():
		case <-ctx.Done():
			p.Kill()
			<-p.Done()
		}
		a.Code, _ = p.Ended()
		a.Keeps, a.Reached = group.Keeps(LimitMemory), group.Reached(LimitMemory)
	} else {
		a.Error = err.Error()
	}
	group.Remove()
	data, _ := json.Marshal(a)
	return data
}

// askForTest is what a worker does to have an errand done: it prints the answer
// and what the command printed.
func askForTest(order string) error {
	door, err := OpenDoor(DoorFD)
	if err != nil {
		return err
	}
	// What is no errand must not close the door.
	for _, packet := range []string{"{", `{"op":1}`, `{"op":"errand"}`} {
		if _, err := door.wire.conn.Write([]byte(packet)); err != nil {
			return err
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	asked, err := door.Ask(json.RawMessage(order), []*os.File{write})
	if err := errors.Join(err, write.Close(), emit("asked")); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	answer, err := asked.Wait(ctx)
	if err != nil {
		return err
	}
	out, err := io.ReadAll(read)
	fmt.Printf("%s\n%s", answer, out)
	return err
}

// errand has a worker ask for it, and gives the answer and the output.
func errand(ctx context.Context, s *Session, o errandOrder) (a errandAnswer, out string) {
	GinkgoHelper()
	w := asking(ctx, s, o)
	exit, err := w.Wait(ctx)
	Expect(err).NotTo(HaveOccurred())
	Expect(exit.Code).To(BeZero(), exit.Output)
	answer, out, _ := strings.Cut(exit.Output, "\n")
	Expect(json.Unmarshal([]byte(answer), &a)).To(Succeed(), exit.Output)
	Expect(a.Error).To(BeEmpty())
	return a, out
}

// asking starts a worker that has asked for the errand.
func asking(ctx context.Context, s *Session, o errandOrder) *Worker {
	GinkgoHelper()
	order, err := json.Marshal(o)
	Expect(err).NotTo(HaveOccurred())
	read, write, err := os.Pipe()
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(read.Close)
	w, err := s.RunWorker(ctx, WorkerSpec{Args: []string{asWorker, "errand", string(order)}, Events: write})
	Expect(write.Close()).To(Succeed())
	Expect(err).NotTo(HaveOccurred())
	_, err = read.Read(make([]byte, 1))
	Expect(err).NotTo(HaveOccurred())
	return w
}

var _ = Describe("an errand", func() {
	for _, isolation := range []Isolation{Bwrap, None} {
		Context("isolation "+string(isolation), func() {
			It("is done outside of the isolation, and told of", func(ctx SpecContext) {
				secret := filepath.Join(shortTempDir(), "outside")
				Expect(os.WriteFile(secret, []byte("from outside\n"), 0o644)).To(Succeed())
				s := start(ctx, isolation)
				a, out := errand(ctx, s, errandOrder{Command: []string{"/bin/sh", "-c", "cat " + secret + "; ls /proc/self/fd; exit 3"}, Path: secret})
				Expect(out).To(HavePrefix("from outside\n0\n1\n2\n3\n"), "it has no descriptors but its own")
				Expect(strings.Fields(out)).To(HaveLen(6))
				Expect(a.Code).To(Equal(3))
				Expect(a.Visible).To(Equal(isolation == None), "what the session does not see is not to be shown")
			})

			It("knows what the session sees", func(ctx SpecContext) {
				project := shortTempDir()
				link := filepath.Join(project, "link")
				Expect(os.Symlink("/tmp", link)).To(Succeed())
				s := start(ctx, isolation, func(o *Options) { o.Readable = []string{project} })
				for path, visible := range map[string]bool{
					project: true, "/usr": true, "/nowhere": isolation == None, link: isolation == None,
					filepath.Join(project, "..", "other"): isolation == None, "/": isolation == None,
				} {
					a, _ := errand(ctx, s, errandOrder{Command: []string{"/bin/true"}, Path: path})
					Expect(a.Visible).To(Equal(visible), path)
				}
			})

			It("ends with its worker and with the session", func(ctx SpecContext) {
				s := start(ctx, isolation)
				sleep := sleepArgument()
				w := asking(ctx, s, errandOrder{Command: []string{"/bin/sleep", sleep}})
				Eventually(func() []int { return running("/bin/sleep " + sleep) }).ShouldNot(BeEmpty())
				w.Kill()
				Eventually(func() []int { return running("/bin/sleep " + sleep) }).WithTimeout(promptly).Should(BeEmpty())
				asking(ctx, s, errandOrder{Command: []string{"/bin/sleep", sleep}})
				Eventually(func() []int { return running("/bin/sleep " + sleep) }).ShouldNot(BeEmpty())
				Expect(s.Close(ctx)).To(Succeed())
				Expect(running("/bin/sleep " + sleep)).To(BeEmpty())
			})

			It("ends with a keeper that is killed", func(ctx SpecContext) {
				s := start(ctx, isolation)
				sleep := sleepArgument()
				asking(ctx, s, errandOrder{Command: []string{"/bin/sleep", sleep}})
				Eventually(func() []int { return running("/bin/sleep " + sleep) }).ShouldNot(BeEmpty())
				Expect(s.keeper.Process.Kill()).To(Succeed())
				Eventually(func() []int { return running("/bin/sleep " + sleep) }).WithTimeout(promptly).Should(BeEmpty())
				Expect(s.Close(ctx)).To(Succeed())
				Expect(errandGroups(s.Info().Dir)).To(BeEmpty())
			})
		})
	}

	It("has limits of its own, where control groups can be made", func(ctx SpecContext) {
		s := start(ctx, Auto)
		const memory = 40 << 20
		a, _ := errand(ctx, s, errandOrder{Command: []string{"/usr/bin/python3", "-I", "-c", "x = bytearray(200 << 20)"}, Memory: memory})
		var support Limit
		for _, l := range LimitSupport(Auto) {
			if l.Name == LimitMemory {
				support = l
			}
		}
		Expect(a.Keeps).To(Equal(support.By))
		if support.By == "" {
			Expect(a.Code).To(BeZero())
			return
		}
		Expect(a.Code).To(Equal(128 + 9))
		Expect(a.Reached).To(BeNumerically(">", 0))
		Expect(errandGroups(s.Info().Dir)).To(BeEmpty())
	})
})
