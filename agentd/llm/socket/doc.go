// Package socket opens and reaches the unix socket between agentd and the model proxy, however long its path is.
//
// Change here: how the socket is made. Not here: who may use it (agentd/llm/proxy).
// May import: golang.org/x/sys. Used by: agentd/doctor, agentd/llm/proxy, agentd/llm/via, cmd/agentd, cmd/bench.
// Proof: go test ./agentd/llm/socket
package socket
