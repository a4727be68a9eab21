// Package team answers the pages of the agents: what each is for, how much it may do alone and what it may send outside;
// how owners make agents and write their files.
//
// Change here: what these pages read and what their forms change. Not here: the rules about settings (app/team), what a
// level allows (agentd/policy), markup (views/portal/team).
// May import: agentd/policy, agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/team
package team
