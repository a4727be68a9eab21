package policy

// The arguments of the tools that this package classifies. Their names are fixed: rules, receipts and clients know
// them.

// ShellArgs are the arguments of the tool shell.
type ShellArgs struct {
	Command string `json:"command" jsonschema:"minLength=1,maxLength=65536,description=Commands as one would type them: plain commands\\, pipes\\, lists and redirections. Paths are relative to the data folder. No network; no shell scripts."`
}

// FileReadArgs are the arguments of the tool file_read.
type FileReadArgs struct {
	Path string `json:"path" jsonschema:"minLength=1,maxLength=4096,description=The file to read\\, relative to the data folder."`
}

// AttachArgs are the arguments of the tool attach.
type AttachArgs struct {
	Path string `json:"path" jsonschema:"minLength=1,maxLength=4096,description=The file to attach\\, relative to the data folder."`
}

// FileListArgs are the arguments of the tool file_list.
type FileListArgs struct {
	Path string `json:"path" jsonschema:"minLength=1,maxLength=4096,description=The folder to list\\, relative to the data folder. The data folder itself is a single dot."`
}

// FileWriteArgs are the arguments of the tool file_write.
type FileWriteArgs struct {
	Path    string `json:"path" jsonschema:"minLength=1,maxLength=4096,description=The file to write\\, relative to the data folder. Missing folders are made."`
	Content string `json:"content" jsonschema:"maxLength=10485760,description=The whole new content of the file."`
}

// FileRestoreArgs are the arguments of the tool file_restore.
type FileRestoreArgs struct {
	Path   string `json:"path" jsonschema:"minLength=1,maxLength=4096,description=The file whose earlier content is put back\\, relative to the data folder."`
	Call   string `json:"call,omitempty" jsonschema:"maxLength=64,description=The id of the write that is taken back. Without it\\, the newest one of this file."`
	Anyway bool   `json:"anyway,omitempty" jsonschema:"description=Put it back even if the file was changed since that write. What is there now is kept as well."`
}

// FileDeleteArgs are the arguments of the tool file_delete.
type FileDeleteArgs struct {
	Path string `json:"path" jsonschema:"minLength=1,maxLength=4096,description=A file\\, a folder with all in it\\, or a glob such as tmp/*.tmp\\, relative to the data folder."`
}

// MessageArgs are the arguments of the tool message.
type MessageArgs struct {
	To      string `json:"to" jsonschema:"minLength=3,maxLength=254,description=One e-mail address\\, without a name."`
	Subject string `json:"subject" jsonschema:"maxLength=500,description=The subject\\, one line."`
	Text    string `json:"text" jsonschema:"minLength=1,maxLength=100000,description=The message as plain text."`
	Channel string `json:"channel,omitempty" jsonschema:"enum=email,description=How to send it. This server sends e-mail."`
}

// DispatchArgs are the arguments of the tool agent_dispatch.
type DispatchArgs struct {
	Target  string `json:"target" jsonschema:"minLength=1,maxLength=64,description=The id of the agent that shall do it."`
	Task    string `json:"task" jsonschema:"minLength=1,maxLength=20000,description=What it shall do\\, complete in itself."`
	Context string `json:"context,omitempty" jsonschema:"maxLength=20000,description=What it must know besides."`
}

// SubagentSpawnArgs are the arguments of the tool subagent_spawn.
type SubagentSpawnArgs struct {
	Task  string `json:"task" jsonschema:"minLength=1,maxLength=20000,description=What it shall do\\, complete in itself."`
	Agent string `json:"agent,omitempty" jsonschema:"maxLength=64,description=The id of a colleague who shall do it. Without it\\, you."`
}

// SubagentCheckArgs are the arguments of the tool subagent_check.
type SubagentCheckArgs struct {
	IDs  []string `json:"ids,omitempty" jsonschema:"maxItems=20,description=Only these."`
	Wait bool     `json:"wait,omitempty" jsonschema:"description=Wait until they have ended."`
}

// SubagentStopArgs are the arguments of the tool subagent_stop.
type SubagentStopArgs struct {
	ID string `json:"id" jsonschema:"minLength=1,maxLength=64,description=The id from subagent_spawn."`
}

// TeamReportArgs are the arguments of the tool team_report.
type TeamReportArgs struct {
	Hours int `json:"hours,omitempty" jsonschema:"minimum=1,maximum=168,description=How many hours back and ahead; 24 without it."`
}

// ScheduleCreateArgs are the arguments of the tool schedule_create.
type ScheduleCreateArgs struct {
	When   string `json:"when" jsonschema:"minLength=1,maxLength=200,description=When\\, as the owner wrote it."`
	Task   string `json:"task" jsonschema:"minLength=1,maxLength=4000,description=What to do or say then\\, complete in itself."`
	Remind bool   `json:"remind,omitempty" jsonschema:"description=Only say the task to the owner then."`
	Title  string `json:"title,omitempty" jsonschema:"maxLength=80,description=A short name."`

	// A monitor: what is looked at each time, by code and not by the model.
	WatchTool string  `json:"watch_tool,omitempty" jsonschema:"maxLength=64,description=A tool that reads a number: to watch that."`
	WatchArgs string  `json:"watch_args,omitempty" jsonschema:"maxLength=4000,description=Its arguments as JSON."`
	WatchFind string  `json:"watch_find,omitempty" jsonschema:"maxLength=200,description=The words before the number."`
	WatchIs   string  `json:"watch_is,omitempty" jsonschema:"enum=above,enum=below,enum=equal"`
	Watch     float64 `json:"watch_value,omitempty"`
}

// ScheduleListArgs are the arguments of the tool schedule_list.
type ScheduleListArgs struct {
	Query string `json:"query,omitempty" jsonschema:"maxLength=200,description=Only those with this in their name or task."`
}

// ScheduleUpdateArgs are the arguments of the tool schedule_update.
type ScheduleUpdateArgs struct {
	ID     string `json:"id" jsonschema:"minLength=1,maxLength=64,description=The id from schedule_list."`
	When   string `json:"when,omitempty" jsonschema:"maxLength=200,description=The new time\\, in the owner's own words."`
	Task   string `json:"task,omitempty" jsonschema:"maxLength=4000,description=The new task."`
	Paused *bool  `json:"paused,omitempty" jsonschema:"description=True pauses it\\, false goes on with it."`
}

// ScheduleDeleteArgs are the arguments of the tool schedule_delete.
type ScheduleDeleteArgs struct {
	ID string `json:"id" jsonschema:"minLength=1,maxLength=64,description=The id from schedule_list."`
}

// MemorySearchArgs are the arguments of the tool memory_search.
type MemorySearchArgs struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=500,description=What you want to know\\, in words of the note."`
}

// MemoryGetArgs are the arguments of the tool memory_get.
type MemoryGetArgs struct {
	ID string `json:"id" jsonschema:"minLength=1,maxLength=64,description=The id of a note\\, as memory_search gave it."`
}

// MemoryWriteArgs are the arguments of the tool memory_write.
type MemoryWriteArgs struct {
	Text string `json:"text" jsonschema:"minLength=1,maxLength=2000,description=One thing\\, complete in itself. No secrets."`
	Kind string `json:"kind" jsonschema:"enum=day,enum=fact,enum=team,description=fact lasts for you\\, team for all\\, day fades."`
}
