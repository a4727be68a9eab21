// Package slacktest gives tests a server that speaks Slack's Web API and Socket Mode on loopback: one app in one workspace, the people and
// channels that write to it, what the app has sent; and it answers badly where a test asks for that.
//
// Change here: the protocol as Slack documents it. Not here: what must hold (the tests that use it).
// May import: the standard library, coder/websocket. Used by: tests only. Proof: go test ./agentd/channel/slack/...
package slacktest
