package policy

import (
	"encoding/json"
	"fmt"

	"gatehouse/agentd/policy/strict"
)

// classifiers is every tool that this version knows, by name.
var classifiers = map[string]func(json.RawMessage, Env) (Class, error){
	"shell":          with(func(a ShellArgs, env Env) Class { return Shell(a.Command, env) }),
	"file_read":      with(func(a FileReadArgs, env Env) Class { return FileRead(a.Path, env) }),
	"file_list":      with(func(a FileListArgs, env Env) Class { return FileList(a.Path, env) }),
	"file_write":     with(func(a FileWriteArgs, env Env) Class { return FileWrite(a.Path, len(a.Content), env) }),
	"file_delete":    with(func(a FileDeleteArgs, env Env) Class { return FileDelete(a.Path, env) }),
	"message":        with(Message),
	"agent_dispatch": with(func(a DispatchArgs, _ Env) Class { return Dispatch(a) }),
}

// Classify says what a call of a built-in tool would really do. It is pure and total: what it does not know, cannot
// read or stumbles over is forbidden.
func Classify(name string, args json.RawMessage, env Env) (c Class) {
	defer func() {
		if r := recover(); r != nil {
			c = Refuse("tool.call.unreadable", "The gate could not judge this call.")
		}
	}()
	f, ok := classifiers[name]
	if !ok {
		return Refuse("tool.call.unknown", fmt.Sprintf("There is no tool %q.", cut(visible(name), 64)))
	}
	c, err := f(args, env)
	if err != nil {
		return Refuse("tool.call.invalid", "The arguments do not fit: "+cut(visible(err.Error()), 300))
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
