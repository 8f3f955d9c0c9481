package results

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (2020-12) of results.json. It is made from the
// types of this package: `go test ./results -run TestSchema -update` writes it
// anew.
func Schema() []byte { return append([]byte(nil), schema...) }
