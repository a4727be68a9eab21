package turn

import (
	"io/fs"
	"path"
	"strings"

	"gatehouse/agentd/wire"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Files are the files of the business that a message or an answer names, each with its page. Whatever a server sends, they lead
// to pages of ours alone, and they are no more than a message may have.
func Files(paths []string) []ui.FileLink {
	var all []ui.FileLink
	for _, p := range paths {
		if len(all) == wire.MaxFiles || p == "." || !fs.ValidPath(p) {
			continue
		}
		all = append(all, ui.FileLink{Name: path.Base(p), Folder: strings.TrimSuffix(path.Dir(p), "."), Href: portal.FilePath(p)})
	}
	return all
}
