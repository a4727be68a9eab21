package file

import (
	"context"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// ListProps is one folder, or what was found below it.
type ListProps struct {
	Path  string // "": the one that holds all
	Q     string
	After string
	Rows  []RowProps
	Next  string // address of the page after
	Total int
	More  bool // of a search: there may be more
	Away  bool

	Signs     SignsProps
	NewFolder string // the act that makes one, as it is signed
	Acts      ActsProps
	Changes   ChangesProps
}

// RowProps is one entry of a folder.
type RowProps struct {
	Path     string
	Folder   bool
	Size     int64
	Modified time.Time
	Closed   bool // it may hold secrets
	Opens    bool // it has a page of its own
	Version  string
	Unkept   bool // a deletion could not be taken back
}

// Href is the page of the entry.
func (r RowProps) Href() string {
	if r.Folder {
		return FolderPath(r.Path)
	}
	return OnePath(r.Path)
}

// crumbs are the folders above a path, from the one that holds all.
func crumbs(ctx context.Context, p string) []ui.Crumb {
	out := []ui.Crumb{{Label: i18n.T(ctx, "file.title"), Href: portal.Files}}
	if p == "" {
		return out
	}
	parts := strings.Split(p, "/")
	for i, name := range parts {
		out = append(out, ui.Crumb{Label: name, Href: FolderPath(strings.Join(parts[:i+1], "/"))})
	}
	return out
}

func table(ctx context.Context, p ListProps) ui.Table {
	t := ui.Table{
		ID: "files", Caption: i18n.T(ctx, "file.caption"), Path: portal.Files, Query: url.Values{"q": {p.Q}, "path": {p.Path}},
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "file.name"), Main: true},
			{Label: i18n.T(ctx, "file.changed")},
			{Label: i18n.T(ctx, "file.size"), Num: true},
		},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "file.empty"), Body: i18n.T(ctx, "file.empty_more")},
		Pager: ui.Pager{Next: p.Next, Text: total(ctx, p)},
	}
	if p.After != "" {
		t.Pager.Prev = FolderPath(p.Path)
	}
	if p.Q != "" {
		t.Empty = ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "file.nomatch", "q", p.Q), Body: i18n.T(ctx, "file.nomatch_more")}
	}
	for i, r := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "file-" + strconv.Itoa(i), Cells: []templ.Component{
			name(r, p.Q != ""), ui.Time(r.Modified), size(ctx, r),
		}})
	}
	return t
}

// total is how much there is.
func total(ctx context.Context, p ListProps) string {
	switch {
	case p.More:
		return i18n.T(ctx, "file.found_more", "n", p.Total)
	case p.Q != "" && p.Total > 0:
		return i18n.T(ctx, "file.found", "n", p.Total)
	case p.Next != "" || p.After != "":
		return i18n.T(ctx, "file.total", "n", p.Total)
	}
	return ""
}

// size is that of a file; a folder has none.
func size(ctx context.Context, r RowProps) templ.Component {
	if r.Folder {
		return templ.NopComponent
	}
	return ui.Text(ui.Bytes(ctx, r.Size))
}

// icon is the drawing of an entry.
func icon(r RowProps) string {
	switch {
	case r.Closed:
		return "lock"
	case r.Folder:
		return "folder"
	}
	return "file"
}

func base(p string) string { return path.Base(p) }

// within is the folder of an entry that was found below another.
func within(ctx context.Context, p string) string {
	if dir := path.Dir(p); dir != "." {
		return i18n.T(ctx, "file.within", "folder", dir)
	}
	return ""
}

// parent is the folder of a path; "" is the one that holds all.
func parent(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}
