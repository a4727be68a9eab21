package page

import (
	"strings"
	"unicode/utf8"

	"gatehouse/app/fault"
)

// Mark is the cursor of a list that is sorted by something that is no id: the id of the last item of a page, and the value
// that it was sorted by when the page was read, as it may have changed since.
func Mark(id, value string) string { return id + "." + value }

// Mark is the id and the value of the cursor; both are empty at the start of a list.
func (a Ask) Mark() (id, value string) {
	id, value, _ = strings.Cut(a.After, ".")
	return id, value
}

// CleanSorted is Clean for a list whose cursors are marks.
func (a Ask) CleanSorted() (Ask, error) {
	after, whole := a.After, a
	id, value := a.Mark()
	whole.After = id
	whole, err := whole.Clean()
	if err != nil {
		return Ask{}, err
	}
	if id != "" && value == "" || utf8.RuneCountInString(value) > 2*maxSearch ||
		!utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return Ask{}, ErrCursor
	}
	whole.After = after
	return whole, nil
}

// ErrCursor says that a cursor is none of the list that it is given to.
var ErrCursor = fault.Bad(map[string]string{"after": "This is no cursor of ours. Start again without it."})
