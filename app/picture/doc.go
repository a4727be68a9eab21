// Package picture makes a small square of a photo that somebody sent: decoded, turned upright, cut, scaled and written again by us, so
// that nothing of the file itself is passed on.
//
// Change here: which pictures are taken, and how large. Not here: where they are kept (app/provider/objectstore), whose they are
// (app/staff). May import: app/fault. Used by: app/staff, app/web/admin. Proof: go test ./app/picture
package picture
