package ui

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/views/i18n"
)

// toolWords are what the tools do, by the name or the pattern that stands for them.
var toolWords = map[string]i18n.Key{
	"agent_dispatch": "rule.tool.agent_dispatch", "env_read": "rule.tool.env_read",
	"env_update":  "rule.tool.env_update",
	"file_delete": "rule.tool.file_delete", "file_list": "rule.tool.file_list", "file_read": "rule.tool.file_read",
	"file_write": "rule.tool.file_write", "file_restore": "rule.tool.file_restore", "http_request": "rule.tool.http_request",
	"attach": "rule.tool.attach", "channel_send": "rule.tool.channel_send", "webhook_send": "rule.tool.webhook_send",
	"message": "rule.tool.message", "shell": "rule.tool.shell", "sql_query": "rule.tool.sql_query",
	"get_credential": "rule.tool.get_credential", "generate_credential": "rule.tool.generate_credential",
	"rotate_credential": "rule.tool.rotate_credential", "docker": "rule.tool.docker", "file_*": "rule.tool.files",
	"browser": "rule.tool.browser", "schedule_create": "rule.tool.schedule_create", "schedule_list": "rule.tool.schedule_list",
	"memory_search": "rule.tool.memory_search", "memory_get": "rule.tool.memory_get", "memory_write": "rule.tool.memory_write",
	"team_report":    "rule.tool.team_report",
	"subagent_spawn": "rule.tool.subagent_spawn", "subagent_check": "rule.tool.subagent_check",
	"subagent_stop":   "rule.tool.subagent_stop",
	"schedule_update": "rule.tool.schedule_update", "schedule_delete": "rule.tool.schedule_delete",
}

// toolAbout says more of each tool that servers have: what it does with the things of the business, for people. The text that a
// tool brings along is written for models.
var toolAbout = map[string]i18n.Key{
	"agent_dispatch":      "ui.tool.agent_dispatch",
	"attach":              "ui.tool.attach",
	"env_read":            "ui.tool.env_read",
	"env_update":          "ui.tool.env_update",
	"file_delete":         "ui.tool.file_delete",
	"file_list":           "ui.tool.file_list",
	"file_read":           "ui.tool.file_read",
	"file_restore":        "ui.tool.file_restore",
	"file_write":          "ui.tool.file_write",
	"generate_credential": "ui.tool.generate_credential",
	"get_credential":      "ui.tool.get_credential",
	"http_request":        "ui.tool.http_request",
	"memory_get":          "ui.tool.memory_get",
	"memory_search":       "ui.tool.memory_search",
	"memory_write":        "ui.tool.memory_write",
	"message":             "ui.tool.message",
	"rotate_credential":   "ui.tool.rotate_credential",
	"schedule_create":     "ui.tool.schedule_create",
	"schedule_delete":     "ui.tool.schedule_delete",
	"schedule_list":       "ui.tool.schedule_list",
	"schedule_update":     "ui.tool.schedule_update",
	"shell":               "ui.tool.shell",
	"subagent_check":      "ui.tool.subagent_check",
	"subagent_spawn":      "ui.tool.subagent_spawn",
	"subagent_stop":       "ui.tool.subagent_stop",
	"team_report":         "ui.tool.team_report",
}

// ToolDoes is what a tool does, as a part of a sentence: "send email". An empty name or "*" is any tool, and a pattern is said
// as one.
func ToolDoes(ctx context.Context, tool string) string {
	if key, ok := toolWords[tool]; ok {
		return i18n.T(ctx, key)
	}
	switch {
	case tool == "" || tool == "*":
		return i18n.T(ctx, "rule.tool.anything")
	case strings.Contains(tool, "*"):
		return i18n.T(ctx, "rule.tool.like", "pattern", tool)
	}
	return i18n.T(ctx, "rule.tool.other", "tool", tool)
}

// ToolTitle is what a tool does, as a heading: "Send email". A tool that is not known keeps its name.
func ToolTitle(ctx context.Context, tool string) string {
	if !KnowsTool(tool) {
		return tool
	}
	does := ToolDoes(ctx, tool)
	first, size := utf8.DecodeRuneInString(does)
	return string(unicode.ToUpper(first)) + does[size:]
}

// ToolAbout describes a tool for people; one that is not known is described by what it brought along.
func ToolAbout(ctx context.Context, tool, brought string) string {
	if key, ok := toolAbout[tool]; ok {
		return i18n.T(ctx, key)
	}
	return brought
}

// Tools are the tools that every server has, as people look for them: in the order of their titles.
func Tools(ctx context.Context) []string {
	return slices.SortedFunc(maps.Keys(toolAbout), func(a, b string) int {
		return strings.Compare(ToolTitle(ctx, a), ToolTitle(ctx, b))
	})
}

// KnowsTool reports whether there are words for a tool, or for the pattern that stands for some.
func KnowsTool(tool string) bool { return toolWords[tool] != "" }
