// Package hook has a customer's server keep its hooks and its rules on events, and carries what programs outside send to hooks. All of
// it is kept on the server: of a delivery the hub keeps nothing, and while the server is away the sender is told to come again. What
// messengers bring to channels is carried likewise (messenger.go).
//
// Change here: what may be asked of a server about hooks, how much of what comes is carried at once. Not here: what becomes of a
// delivery (agentd/hook) or of an event (agentd/eventrule), the address (app/web/hook), the pages (app/web/portal/hook), the API
// (app/web/api).
// May import: app/account, app/fault, app/server, agentd/wire. Used by: app/web/portal, cmd/hub.
// Proof: go test ./app/hook ./app/web/hook ./app/web/portal/hook
package hook
