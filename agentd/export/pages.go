package export

import (
	"encoding/json"
	"fmt"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// memory writes what the team remembers, a note a line: what is put aside as well.
func (a archive) memory() error {
	return lines(a, "memory.jsonl", func(after string) ([]wire.MemoryNote, string, error) {
		got, err := ask[wire.MemoryResult](a, wire.MethodMemoryList, wire.MemoryParams{After: after, Limit: perPage})
		return got.Items, got.Next, err
	}, func(after string) ([]wire.MemoryNote, string, error) {
		got, err := ask[wire.MemoryResult](a, wire.MethodMemoryList, wire.MemoryParams{After: after, Limit: perPage, Held: true})
		return got.Items, got.Next, err
	})
}

// schedules writes what is planned and what is done, a schedule a line.
func (a archive) schedules() error {
	return lines(a, "schedules.jsonl", func(after string) ([]wire.Schedule, string, error) {
		got, err := ask[wire.SchedulesResult](a, wire.MethodSchedulesList, wire.SchedulesParams{After: after, Limit: perPage})
		return got.Items, got.Next, err
	})
}

// hooks writes where programs outside send what the team works on, a hook a line. Of their secrets nothing is asked.
func (a archive) hooks() error {
	return lines(a, "hooks.jsonl", func(string) ([]wire.Hook, string, error) {
		got, err := ask[wire.HooksResult](a, wire.MethodHooksList, wire.HooksParams{})
		return got.Items, "", err
	})
}

// eventRules writes what the team does when something happens on the server, a rule a line.
func (a archive) eventRules() error {
	return lines(a, "event-rules.jsonl", func(string) ([]wire.EventRule, string, error) {
		got, err := ask[wire.EventRulesResult](a, wire.MethodEventRulesList, wire.EventRulesParams{})
		return got.Items, "", err
	})
}

// perPage is how much of a list is held at once.
const perPage = 200

// lines writes all items of lists that come in pages, an item a line.
func lines[T any](a archive, name string, lists ...func(after string) ([]T, string, error)) error {
	w, err := a.file(name)
	if err != nil {
		return err
	}
	for _, page := range lists {
		for after := ""; ; {
			items, next, err := page(after)
			if err != nil {
				return err
			}
			for _, item := range items {
				line, err := json.Marshal(item)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if _, err := w.Write(append(redact.Frame(line), '\n')); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			if after = next; after == "" {
				break
			}
			if err := a.ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}
