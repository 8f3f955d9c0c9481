//go:build linux

package session

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// nobody is the user id that the tests of this file change to.
const nobody = "65534"

var _ = Describe("an unprivileged user", func() {
	BeforeEach(func() {
		if os.Geteuid() != 0 {
			Skip("the tests run as an unprivileged user already")
		}
	})

	It("has sessions like root's", func(ctx SpecContext) {
		// The binary that go test makes lies where others cannot read.
		out := runTests(exec.CommandContext(ctx, "setpriv", "--reuid="+nobody, "--regid="+nobody, "--clear-groups", copyOfTests(),
			"-test.run=TestSession", "-ginkgo.no-color",
			"-ginkgo.focus=leaves nothing|comes with the end of its parent$|may crash|cookie|the private home|mousepad|xterm|keeps other X|without the session's marker|by their place|has a loopback|keeps the learned folder|say what cannot|an errand"))
		Expect(out).To(ContainSubstring("0 Failed"))
		Expect(out).NotTo(ContainSubstring("Ran 0 of"))
	})

	It("does not sweep another user's folders", func() {
		temp := shortTempDir()
		theirs := filepath.Join(temp, folderPrefix+"theirs")
		Expect(os.Mkdir(theirs, 0o755)).To(Succeed())
		Expect(os.WriteFile(ownerOf(theirs), []byte(`{"id":"x"}`), 0o644)).To(Succeed())
		var uid int
		_, _ = fmt.Sscan(nobody, &uid)
		Expect(os.Chown(theirs, uid, uid)).To(Succeed())
		Expect(Sweep(temp)).To(BeEmpty())
		Expect(theirs).To(BeADirectory())
		Expect(os.Chown(theirs, 0, 0)).To(Succeed())
		Expect(Sweep(temp)).To(Equal([]string{theirs}))
	})
})
