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

// PrefixVariable is Tesseract's own variable for the folder of its data.
const PrefixVariable = "TESSDATA_PREFIX"

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

// Installed reports, from the heads of the files alone, whether the data of the
// languages (DefaultLanguages for none) is there: in no time, where Check starts
// an engine. prefix is TESSDATA_PREFIX as it will be, "" for as it is. What is
// missing is an *ocr.UnavailableError.
func Installed(languages []string, prefix string) error {
	if len(languages) == 0 {
		languages = DefaultLanguages
	}
	if prefix == "" {
		prefix = os.Getenv(PrefixVariable)
	}
	_, err := locate(languages, prefix)
	return err
}

// folders lists where language data is looked for: below the prefix, which
// then is the only place, or where systems have it.
func folders(prefix string) []string {
	if prefix != "" {
		return []string{prefix, filepath.Join(prefix, "tessdata")}
	}
	return systemFolders
}

// locate finds the one folder that holds the data of all languages. It is an
// *ocr.UnavailableError where there is none.
func locate(languages []string, prefix string) (string, error) {
	dirs := folders(prefix)
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
	if prefix != "" && missing.Package != "" {
		missing.What += fmt.Sprintf(" in %s (%s)", dirs[0], PrefixVariable)
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
	for _, dir := range folders(os.Getenv(PrefixVariable)) {
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
