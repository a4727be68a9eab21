package policy

import (
	"encoding/json"
	"fmt"

	"gatehouse/agentd/policy/strict"
)

// classifiers is every tool that this version knows, by name. Action names (table/actions.txt) come besides.
var classifiers = map[string]func(json.RawMessage, Env) (Class, error){
	"shell":  with(func(a ShellArgs, env Env) Class { return Shell(a.Command, env) }),
	"docker": with(func(a DockerArgs, env Env) Class { return Docker(a.Args, env) }),

	"file_read":    with(func(a FileReadArgs, env Env) Class { return FileRead(a.Path, env) }),
	"attach":       with(func(a AttachArgs, env Env) Class { return Attach(a.Path, env) }),
	"file_list":    with(func(a FileListArgs, env Env) Class { return FileList(a.Path, env) }),
	"file_search":  with(FileSearch),
	"file_write":   with(func(a FileWriteArgs, env Env) Class { return FileWrite(a.Path, len(a.Content), env) }),
	"file_edit":    with(FileEditing),
	"file_restore": with(func(a FileRestoreArgs, env Env) Class { return FileRestore(a.Path, env) }),
	"file_delete":  with(func(a FileDeleteArgs, env Env) Class { return FileDelete(a.Path, env) }),
	"env_read":     with(EnvRead),
	"env_update":   with(EnvUpdate),

	"sql_query":    with(func(a SQLArgs, _ Env) Class { return SQL(a) }),
	"http_request": with(HTTP),
	"browser":      with(Browser),
	"web_fetch":    with(WebFetch),
	"web_search":   with(WebSearch),

	"message":             with(Message),
	"agent_dispatch":      with(func(a DispatchArgs, _ Env) Class { return Dispatch(a) }),
	"subagent_spawn":      with(func(a SubagentSpawnArgs, _ Env) Class { return SubagentSpawn(a) }),
	"subagent_check":      with(func(a SubagentCheckArgs, _ Env) Class { return SubagentCheck(a) }),
	"subagent_stop":       with(func(a SubagentStopArgs, _ Env) Class { return SubagentStop(a) }),
	"team_report":         with(func(_ TeamReportArgs, _ Env) Class { return TeamReport() }),
	"schedule_create":     with(func(a ScheduleCreateArgs, _ Env) Class { return ScheduleCreate(a) }),
	"schedule_list":       with(func(_ ScheduleListArgs, _ Env) Class { return ScheduleList() }),
	"schedule_update":     with(func(a ScheduleUpdateArgs, _ Env) Class { return ScheduleUpdate(a) }),
	"schedule_delete":     with(func(a ScheduleDeleteArgs, _ Env) Class { return ScheduleDelete(a) }),
	"memory_search":       with(func(a MemorySearchArgs, _ Env) Class { return MemorySearch(a) }),
	"memory_get":          with(func(a MemoryGetArgs, _ Env) Class { return MemoryGet(a) }),
	"memory_write":        with(func(a MemoryWriteArgs, _ Env) Class { return MemoryWrite(a) }),
	"get_credential":      with(GetCredential),
	"generate_credential": with(GenerateCredential),
	"rotate_credential":   with(RotateCredential),
}

// Classify says what a call of a tool would really do. It is pure and total: what it does not know, cannot read or
// stumbles over is forbidden.
func Classify(name string, args json.RawMessage, env Env) (c Class) {
	defer func() {
		if r := recover(); r != nil {
			c = Refuse("tool.call.unreadable", "The gate could not judge this call.")
		}
	}()
	f, ok := classifiers[name]
	if _, alias := actions[name]; !ok && alias {
		f, ok = func(raw json.RawMessage, env Env) (Class, error) { return Action(name, raw, env) }, true
	}
	if !ok {
		return Refuse("tool.call.unknown", fmt.Sprintf("There is no tool %q.", visible(name)))
	}
	c, err := f(args, env)
	if err != nil {
		return Refuse("tool.call.invalid", "The arguments do not fit: "+visible(err.Error()))
	}
	return c
}

// with reads the arguments strictly before f judges them.
func with[T any](f func(T, Env) Class) func(json.RawMessage, Env) (Class, error) {
	return func(raw json.RawMessage, env Env) (Class, error) {
		a, err := strict.Parse[T](raw)
		if err != nil {
			return Class{}, err
		}
		return f(a, env), nil
	}
}
