package wire_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// TestSchedule_frames: what pages and servers exchange about schedules reads back as it was written, by these names.
func TestSchedule_frames(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	tick := wire.ScheduleTick{
		Schedule: "s", Due: at, Verdict: wire.TickCaughtUp, Reason: "late", RunID: "r", Try: 1, Outcome: wire.TickOpen, At: at,
	}
	kind, spec := wire.ScheduleCron, "0 8 * * 1"
	for _, c := range []struct {
		body any
		text string
	}{
		{
			&wire.ScheduleCreate{
				ID: "s", Agent: "it-admin", Kind: kind, Spec: spec, TimeZone: "Europe/Vienna", Task: "Look at the disk",
				CatchUp: wire.CatchUpOnce, Deliver: wire.ScheduleDeliver{To: wire.DeliverSession},
			},
			`{"id":"s","agent":"it-admin","kind":"cron","spec":"0 8 * * 1","time_zone":"Europe/Vienna","title":"",` +
				`"task":"Look at the disk","catch_up":"once","deliver":{"to":"session"},` +
				`"by":{"user_id":"","email":"","channel":"","address":""}}`,
		},
		{
			&wire.ScheduleEdit{ID: "s", Version: 2, Kind: &kind, Spec: &spec},
			`{"id":"s","version":2,"kind":"cron","spec":"0 8 * * 1","by":{"user_id":"","email":"","channel":"","address":""}}`,
		},
		{
			&wire.ScheduleTicks{Items: []wire.ScheduleTick{tick}},
			`{"items":[{"schedule":"s","due":"2026-11-30T08:00:00Z","verdict":"caught_up","reason":"late","run_id":"r","try":1,` +
				`"outcome":"open","retry_at":"0001-01-01T00:00:00Z","at":"2026-11-30T08:00:00Z","asked":false}],"next":""}`,
		},
		{
			&wire.ScheduleReading{Kind: wire.ScheduleAt, Ask: "Which?", Choices: []string{"2026-11-30T09:00"}},
			`{"kind":"at","spec":"","says":"","time_zone":"","next":null,"ask":"Which?","choices":["2026-11-30T09:00"]}`,
		},
	} {
		text, err := json.Marshal(c.body)
		if err != nil || string(text) != c.text {
			t.Errorf("%s\nwant %s (%v)", text, c.text, err)
		}
		back := reflect.New(reflect.TypeOf(c.body).Elem()).Interface()
		if err := json.Unmarshal(text, back); err != nil || !reflect.DeepEqual(back, c.body) {
			t.Errorf("%+v, %v", back, err)
		}
	}
}
