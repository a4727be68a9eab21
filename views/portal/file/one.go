package file

import (
	"net/url"
)

// OneProps is one file.
type OneProps struct {
	RowProps
	Show    string // text, markdown, image; "": nothing
	Text    string
	HTML    string // of Markdown, safe
	Cut     bool
	Away    bool
	Signs   SignsProps
	Acts    ActsProps
	Changes ChangesProps
}

// image is the address of a file as a picture. The version makes browsers ask again once the file has changed.
func (p OneProps) image() string {
	return ImagePath + "?" + url.Values{"path": {p.Path}, "v": {p.Version}}.Encode()
}
