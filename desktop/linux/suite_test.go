//go:build linux

package linux

import (
	"fmt"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// openerVariable makes the test binary open an application and end, as a
// worker does.
const openerVariable = "OPENDESK_TEST_OPENER"

func TestMain(m *testing.M) {
	if os.Getenv(openerVariable) != "" {
		os.Exit(openAndLeave())
	}
	os.Exit(m.Run())
}

func TestLinux(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "linux")
}

// One session and one Desktop with input serve all specs, since a process can
// have input on one display only. Specs that break a session have their own.
var (
	shared *testSession
	desk   *Desktop
)

var _ = BeforeSuite(func() {
	var err error
	shared, err = startSession()
	Expect(err).NotTo(HaveOccurred())
	Expect(os.Setenv("DISPLAY", shared.display)).To(Succeed())
	ctx, cancel := within(20)
	defer cancel()
	desk, err = Open(ctx, shared.options())
	Expect(err).NotTo(HaveOccurred())
})

var _ = AfterSuite(func() {
	if desk != nil {
		Expect(desk.Close()).To(Succeed())
	}
	if shared != nil {
		shared.stop()
		Eventually(shared.leftovers).WithTimeout(seconds(10)).Should(BeEmpty())
	}
})

// openAndLeave opens an application on the display of the environment and
// prints its pid.
func openAndLeave() int {
	ctx, cancel := within(20)
	defer cancel()
	d, err := Open(ctx, Options{
		Display: os.Getenv("DISPLAY"), SessionBus: os.Getenv("DBUS_SESSION_BUS_ADDRESS"),
		SessionID: os.Getenv(SessionIDVariable), Env: os.Environ(), NoInput: true,
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer d.Close()
	opened, err := d.OpenApp(ctx, launch(os.Getenv(openerVariable)))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(opened.App.PID)
	return 0
}
