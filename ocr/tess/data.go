package tess

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/ocr"
)

// DefaultLanguages are read where none are asked for.
var DefaultLanguages = []string{"eng"}

// prefixVariable is Tesseract's own variable for the folder of its data.
const prefixVariable = "TESSDATA_PREFIX"

// systemFolders are where packages put the data.
var systemFolders = []string{
	"/usr/share/tesseract-ocr/5/tessdata",
	"/usr/share/tesseract-ocr/4.00/tessdata",
	"/usr/share/tessdata",
	"/usr/share/tesseract/tessdata",
	"/usr/local/share/tessdata",
	"/opt/homebrew/share/tessdata",
}

// languageName is what a language may be called: eng, chi_sim, script/Latin.
var languageName = regexp.MustCompile(`^(script/)?[A-Za-z0-9_]+$`)

// folders lists where language data is looked for, and whether the user chose
// the place by TESSDATA_PREFIX, which then is the only one.
func folders() (dirs []string, chosen bool) {
	if prefix := os.Getenv(prefixVariable); prefix != "" {
		return []string{prefix, filepath.Join(prefix, "tessdata")}, true
	}
	return systemFolders, false
}

// locate finds the one folder that holds the data of all languages. It is an
// *ocr.UnavailableError where there is none.
func locate(languages []string) (string, error) {
	dirs, chosen := folders()
	var missing *ocr.UnavailableError
	present := -1 // languages found in the best folder so far
	for _, dir := range dirs {
		found, err := lacking(dir, languages)
		if err == nil {
			return dir, nil
		}
		if found > present {
			present, missing = found, err
		}
	}
	if chosen && missing.Package != "" {
		missing.What += fmt.Sprintf(" in %s (%s)", dirs[0], prefixVariable)
		missing.Package = ""
	}
	return "", missing
}

// lacking counts the languages whose data the folder holds; the error is about
// the first that it does not hold.
func lacking(dir string, languages []string) (found int, missing *ocr.UnavailableError) {
	for _, l := range languages {
		what := fmt.Sprintf("tesseract language data %q", l)
		if !languageName.MatchString(l) {
			missing = &ocr.UnavailableError{What: what, Err: errors.New("a language's name has letters, digits and _ only")}
			continue
		}
		if err := checkData(filepath.Join(dir, filepath.FromSlash(l)+".traineddata")); err != nil {
			if missing == nil {
				missing = &ocr.UnavailableError{What: what, Package: packageOf(l), Err: err}
			}
			continue
		}
		found++
	}
	return found, missing
}

// packageOf is the Debian and Ubuntu package of a language's data.
func packageOf(language string) string {
	return "tesseract-ocr-" + strings.NewReplacer("_", "-", "/", "-").Replace(strings.ToLower(language))
}

// checkData looks at the head of a data file. Tesseract's binding writes the
// library's complaints into a buffer of fixed size, so the library is never
// given a file that is plainly damaged.
func checkData(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var head [4]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	// The file begins with the number of its parts, 24 in all versions so far.
	if n := binary.LittleEndian.Uint32(head[:]); n == 0 || n > 256 {
		return fmt.Errorf("%s is damaged: it does not begin as language data does", path)
	}
	return nil
}

// Languages lists the languages whose data is installed, sorted.
func Languages() []string {
	var out []string
	dirs, _ := folders()
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "*.traineddata")) // the pattern is well formed
		for _, f := range files {
			if l := strings.TrimSuffix(filepath.Base(f), ".traineddata"); l != "osd" {
				out = append(out, l)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
