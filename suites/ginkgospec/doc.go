// Package ginkgospec registers the learned programs of a project as Ginkgo
// specs, for teams that test in Go:
//
//	var _ = ginkgospec.Project("../projects/office")
//
//	func TestOffice(t *testing.T) {
//		RegisterFailHandler(Fail)
//		RunSpecs(t, "Office")
//	}
//
// Every program is a spec of its own, whatever `go test` or `ginkgo -p` does
// with it: it can be focused, filtered by label (the names of the folders that
// it is in), run in parallel and reported like any other. Its location is the
// program's file, its steps appear as By while they run.
//
// A spec runs its program with the command opendesk, which brings the display
// sessions along. It is looked for in this order: the option Binary, the
// variable OPENDESK_BINARY, the tools of the go.mod in use (`go get -tool
// github.com/opendesk/opendesk/cmd/opendesk`), the PATH. Building the tool for
// the first time takes a while, and counts to the timeout of the first spec.
//
// What a spec comes to:
//
//   - passed: the program passed, or was flaky (a report entry says so);
//   - failed: the program failed; or its environment broke, and the message
//     begins with "broken:"; or its file is invalid, and the message lists
//     every problem with its place; or it was interrupted;
//   - skipped: the project says that the program is not to be run.
//
// A project that cannot be opened, or that has no program to run, is a spec
// that fails.
package ginkgospec
