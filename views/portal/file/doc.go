// Package file holds the pages of the business's files.
//
// Change here: what these pages show, the way to attach files to a message. Not here: how files are opened, uploaded and
// attached in the browser (static/js: download, upload, attach), what stands in the props (app/web/portal/file).
// If you change a data attribute, also change: static/js.
// May import: static, views/portal, views/…. Used by: app/web/portal/chat, app/web/portal/file. Proof: go test ./app/web/portal/...
package file
