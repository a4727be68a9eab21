// Package attention is what needs one of our staff now: how many orders, servers, machines, jobs, requests and invitations wait for a
// person.
//
// Change here: what counts as waiting for a person. Not here: how it is counted (db/attention.go), the page (app/web/admin).
// May import: app/order, app/staff. Used by: app/web, cmd/hub, db. Proof: go test ./db ./app/web/admin
package attention
