package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// get answers one file, with its text where there is one to show.
func (f *Files) get(_ context.Context, p wire.FileParams) (wire.File, error) {
	rel, file, info, err := f.open(p.Path)
	if err != nil {
		return wire.File{}, err
	}
	defer file.Close()
	out := wire.File{FileInfo: f.info(rel, info)}
	head, err := io.ReadAll(io.LimitReader(file, wire.MaxPreview+1))
	if err != nil {
		return wire.File{}, fmt.Errorf("read %s: %w", rel, err)
	}
	if out.Show = howToShow(rel, head, info.Size()); out.Show != wire.ShowText && out.Show != wire.ShowMarkdown {
		return out, nil
	}
	out.Text, out.Cut = cut(head)
	return out, nil
}

// open opens a plain file that a person may look at.
func (f *Files) open(name string) (rel string, file *os.File, info fs.FileInfo, err error) {
	if rel, err = f.name(name); err != nil {
		return "", nil, nil, err
	}
	if f.closed(rel) {
		return "", nil, nil, tool.Refuse("%s may hold passwords or keys, so it is not opened here.", path.Base(rel))
	}
	file, info, err = f.d.Root.Open(rel)
	return rel, file, info, err
}

// Plain gives the clean name, beneath the data folder, of a plain file that people may look at. Its error says that there is
// none: no such file, a folder, a name or a link that leads out, or one that may hold secrets.
func (f *Files) Plain(name string) (string, error) {
	rel, file, _, err := f.open(name)
	if err != nil {
		return "", err
	}
	if err := file.Close(); err != nil {
		return "", fmt.Errorf("close %s: %w", rel, err)
	}
	return rel, nil
}

// versionOf names the content of a file: another one once it was changed.
func versionOf(info fs.FileInfo) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", info.Size(), info.ModTime().UnixNano()))
	return hex.EncodeToString(sum[:12])
}

// howToShow tells it from the content: what a name promises is believed of text alone.
func howToShow(name string, head []byte, size int64) wire.FileShow {
	if _, _, err := image.DecodeConfig(bytes.NewReader(head)); err == nil {
		if size <= mostImage {
			return wire.ShowImage
		}
		return wire.ShowNothing
	}
	if !isText(head) {
		return wire.ShowNothing
	}
	if slices.Contains([]string{".md", ".markdown"}, strings.ToLower(path.Ext(name))) {
		return wire.ShowMarkdown
	}
	return wire.ShowText
}

// isText says whether the beginning of a file is text; a letter may be cut off at its end.
func isText(head []byte) bool {
	text, _ := cut(head)
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// cut is at most MaxPreview bytes that end with a whole letter, and whether there is more.
func cut(head []byte) (string, bool) {
	if len(head) <= wire.MaxPreview {
		return string(head), false
	}
	end := wire.MaxPreview
	for end > wire.MaxPreview-utf8.UTFMax && !utf8.RuneStart(head[end]) {
		end--
	}
	return string(head[:end]), true
}
