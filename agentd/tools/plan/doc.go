// Package plan has the tools schedule_create, schedule_list, schedule_update and schedule_delete: an agent plans something for
// later. When it is due is worked out from the owner's words by the server, at the moment of the call, not by the model.
//
// Change here: what the tools say. Not here: what a schedule is (agentd/schedule), which times are understood
// (agentd/schedule/when), how risky it is (agentd/policy, schedule.go).
// May import: agentd/gate, agentd/policy, agentd/tool. Used by: agentd. Proof: go test ./agentd/tools/plan
package plan
