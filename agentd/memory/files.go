package memory

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// errMany says that a file has more notes than there is room for.
var errMany = errors.New("more notes than there is room for")

// found is a file of memory.
type found struct {
	name string
	size int64
	day  time.Time // zero: what stands in it lasts
}

// files are those of memory: what lasts first, then the newest day first. What cannot be looked at is told, and taken out of known.
func (b *Book) files(known map[string]string) (all []found, faults []error, err error) {
	walk := func(file string, d fs.DirEntry, err error) error {
		if err != nil { // what is below stays as it is in the index
			faults = append(faults, err)
			maps.DeleteFunc(known, func(name, _ string) bool { return name == file || strings.HasPrefix(name, file+"/") })
			return nil
		}
		if d.IsDir() || !mine(file) {
			return nil
		}
		info, err := b.root.Stat(file) // of a link, what it leads to
		if err != nil {
			faults = append(faults, err)
			delete(known, file)
			return nil
		}
		all = append(all, found{file, info.Size(), dayOf(file)})
		return nil
	}
	if err := fs.WalkDir(b.root.FS(), ".", walk); err != nil {
		return nil, nil, fmt.Errorf("look through memory: %w", err)
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Compare(rankOf(b.day), rankOf(a.day))
	})
	return all, faults, nil
}

// rankOf is how soon a file of a day is read.
func rankOf(day time.Time) int64 {
	if day.IsZero() {
		return math.MaxInt64
	}
	return day.Unix()
}

// LeftOut are the files that are not read because they are too large, or because there are too many. They stay as they are.
func (b *Book) LeftOut() []string {
	if left := b.left.Load(); left != nil {
		return *left
	}
	return nil
}
