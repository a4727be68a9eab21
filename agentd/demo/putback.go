package demo

import (
	"path"
	"slices"
	"strings"
	"time"
)

// PutBack are the demo files that can be written again when they are gone: those whose names do not depend on the day
// of seeding. The temporary ones are shorter than they were.
func PutBack() []File {
	return slices.Concat(texts(), []File{prices()}, leftovers(2<<10))
}

// Dated are the globs of the other demo files, with how many of them there were.
func Dated() map[string]int {
	all := map[string]int{}
	for _, f := range dated(time.Time{}.AddDate(2000, 0, 0)) {
		all[strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return '?'
			}
			return r
		}, f.Path)]++
	}
	return all
}

// Folders are the folders in which demo files belong, the data folder itself first.
func Folders() []string {
	all := []string{"."}
	add := func(p string) {
		if dir := path.Dir(p); !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	for _, f := range PutBack() {
		add(f.Path)
	}
	for glob := range Dated() {
		add(glob)
	}
	slices.Sort(all[1:])
	return all
}
