package filedelete

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// maxEntries is the longest list that one call deletes.
const maxEntries = 10_000

// entry is one file, link or folder as it was measured.
type entry struct {
	Rel    string `json:"rel"`
	Folder bool   `json:"folder,omitempty"`
	Size   int64  `json:"size"`
	MTime  int64  `json:"mtime"` // nanoseconds since 1970, UTC
	Inode  uint64 `json:"inode"`
}

// list is in the order of deletion: what a folder holds comes before it.
type list []entry

func newEntry(rel string, info fs.FileInfo) entry {
	e := entry{Rel: rel, Folder: info.IsDir(), Size: info.Size(), MTime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		e.Inode = st.Ino
	}
	if e.Folder { // its size and time change as it is emptied, and mean nothing to a person
		e.Size, e.MTime = 0, 0
	}
	return e
}

// facts are the figures that a person decides on.
func (l list) facts() []tool.Fact {
	files, folders, bytes := l.figures()
	out := []tool.Fact{
		{Name: "files", Value: files, Text: tool.Count(files, "file", "files") + l.names()},
		{Name: "bytes", Value: bytes, Text: tool.Bytes(bytes)},
	}
	if folders > 0 {
		out = append(out, tool.Fact{Name: "folders", Value: folders, Text: tool.Count(folders, "folder", "folders")})
	}
	return out
}

func (l list) figures() (files, folders, bytes int64) {
	for _, e := range l {
		if e.Folder {
			folders++
			continue
		}
		files++
		bytes += e.Size
	}
	return files, folders, bytes
}

// names are the files by name, as many as a person can look through.
func (l list) names() string {
	const few = 100
	var names []string
	more := 0
	for _, e := range l {
		switch {
		case e.Folder:
		case len(names) < few:
			names = append(names, e.Rel)
		default:
			more++
		}
	}
	if len(names) == 0 {
		return ""
	}
	text := ": " + strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// protected says why something in the list may not be deleted.
func (l list) protected(env policy.Env) string {
	for _, e := range l {
		if why := policy.Protected(e.Rel, env); why != "" {
			return path.Base(e.Rel) + " is among them. " + why
		}
	}
	return ""
}
