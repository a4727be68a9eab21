package file

import (
	"net/url"

	"gatehouse/views/portal"
)

// The pages and forms about files. Which file is meant stands in the query: a path has slashes.
const (
	ViewPath     = portal.Files + "/view"
	ImagePath    = portal.Files + "/image"
	DownloadPath = portal.Files + "/download"
	PlacePath    = portal.Files + "/place"
	AboutPath    = portal.Files + "/about"
	UploadPath   = portal.Files + "/upload"
	PartPath     = portal.Files + "/part"
	FinishPath   = portal.Files + "/finish"
	ChangePath   = portal.Files + "/change"
)

// FolderPath is the page of a folder; "" is the one that holds all.
func FolderPath(path string) string { return of(portal.Files, path) }

// OnePath is the page of a file.
func OnePath(path string) string { return portal.FilePath(path) }

func of(page, path string) string {
	if path == "" {
		return page
	}
	return page + "?" + url.Values{"path": {path}}.Encode()
}
