// Command opendesk tells whether learned desktop programs still work.
package main

import (
	"os"

	"github.com/opendesk/opendesk/internal/cli"
)

func main() { os.Exit(cli.Main()) }
