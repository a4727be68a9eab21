// Package orgtest is an organization at OpenAI for tests, as its administration API is published: service accounts of a project, and
// usage by the hour in pages. It can answer badly.
//
// Change here: what the API answers. Not here: how the hub asks (app/provider/openaiorg).
// May import: the standard library. Used by: nobody. Proof: go test ./app/provider/openaiorg
package orgtest
