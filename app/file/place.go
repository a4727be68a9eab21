package file

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"gatehouse/app/account"
	"gatehouse/app/fault"
)

// Uploads is the folder for files that go with messages; each month has one in it.
const Uploads = "Uploads"

// mostPlaces is how many names are tried for a file.
const mostPlaces = 50

var (
	month = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])$`)

	errName = fault.New(fault.Invalid, "name", "name of a file that goes with a message cannot be used",
		"This name cannot be used for a file. Rename the file, then attach it again.")
	errTaken = fault.New(fault.Conflict, "name-taken", "too many files of one name",
		"There are too many files of this name already. Rename the file, then attach it again.")
)

// Place finds where a file that goes with a message can lie, so that it takes the place of none: in the folder of its month
// (2026-11), under its own name, or "name (2)" and so on where that is taken. What is found is not reserved.
func (s *Service) Place(ctx context.Context, of account.CustomerID, in, name string) (string, error) {
	if !month.MatchString(in) || !isName(name) {
		return "", errName
	}
	for n := 1; n <= mostPlaces; n++ {
		at := path.Join(Uploads, in, numbered(name, n))
		_, err := s.Get(ctx, of, at)
		switch {
		case err == nil:
		case fault.Of(err).Kind == fault.NotFound:
			return at, nil
		case fault.Of(err).Kind != fault.Conflict: // which is something that cannot be opened, and takes the name as well
			return "", err
		}
	}
	return "", errTaken
}

// isName reports whether a text can be the name of a file in a folder.
func isName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= 255 && !strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || unicode.IsControl(r)
	})
}

// numbered is the nth name for a file: "offer.pdf", "offer (2).pdf".
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	ext := path.Ext(name)
	if ext == name {
		ext = ""
	}
	return fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
}
