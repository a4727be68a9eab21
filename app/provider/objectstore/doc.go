// Package objectstore keeps small files under names: in a folder of this machine, or in a bucket of a service that speaks S3.
//
// Change here: how such files are kept. Not here: which (app/staff), which place is used (cmd/hub). May import: app/fault.
// Used by: cmd/hub. Proof: go test ./app/provider/objectstore
package objectstore
