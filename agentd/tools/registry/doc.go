// Package registry knows the business tools of this server: where their interfaces are, and which secret signs in to
// them. It reads tool-registry.json in the state directory, which the operator and provisioning write and no agent
// can.
//
//	{"tools": [{"name": "ghost", "kind": "ghost", "category": "publishing", "description": "The blog",
//	  "internal_url": "http://127.0.0.1:2368", "external_url": "https://blog.example.com", "api_base":
//
// "http://127.0.0.1:2368/ghost/api/admin",
//
//	"auth": {"type": "header", "header": "Authorization", "prefix": "Bearer ", "ref": "ghost.admin_key"},
//	"private": false, "has_api": true, "has_webui": true, "cheat_sheet": "…"}]}
//
// rotate says how the secret of the sign-in is changed: {"method": "PUT", "path": "/api/me/key", "body": "{\"key\":\"{{new}}\"}",
// "check": "/api/me"}. auth.type is none, bearer, basic (with user) or header (with header, and a prefix where one belongs before the
// value).
// private says that the names of its URLs may lead to private addresses; loopback is reached only by a literal
// address or
// the name localhost.
//
// Change here: what is known of a business tool. Not here: requests to it (agentd/tools/httprequest), what its
// methods
// do (agentd/policy), the values of secrets (agentd/vault).
// May import: agentd/policy, agentd/vault. Used by: agentd, agentd/tools/httprequest, cmd/agentd.
// Proof: go test ./agentd/tools/registry
package registry
