package admin

import (
	"context"

	"gatehouse/views/i18n"
)

// QueueWord names a queue.
func QueueWord(ctx context.Context, queue string) string { return word(ctx, queueWords, queue) }

// KindWord says what a kind of job does.
func KindWord(ctx context.Context, kind string) string { return word(ctx, kindWords, kind) }

var queueWords = map[string]i18n.Key{
	"orders": "job.queue_orders", "mail": "job.queue_mail", "team": "job.queue_team", "watch": "job.queue_watch", "push": "job.queue_push",
	"commands": "fleet.queue_commands", "machines": "machine.job_queue", "billing": "billing.job_queue",
	"payments": "payment.job_queue",
}

var kindWords = map[string]i18n.Key{
	"advance_order": "job.kind_advance_order", "send_mail": "job.kind_send_mail", "mail_approvals": "job.kind_mail_approvals",
	"tell_support": "job.kind_tell_support",
	"refresh_team": "job.kind_refresh_team", "tell_device": "job.kind_tell_device", "test_device": "job.kind_test_device",
	"chores": "job.kind_chores", "order_watch": "job.kind_order_watch", "heartbeat_watch": "job.kind_heartbeat_watch",
	"history_roll": "fleet.job_history_roll", "run_command": "fleet.job_run_command",
	"run_machine_act": "machine.job_act", "look_at_machine": "machine.job_look", "drop_snapshots": "machine.job_drop",
	"refund_credit": "billing.job_refund", "finish_regain": "regain.job", "collect_invoice": "billing.job_collect",
	"begin_month":        "billing.job_begin",
	"read_payment_event": "payment.job_event", "give_back": "payment.job_refund",
	"refund_order": "payment.job_order", "close_account": "clientele.job.close",
}

var jobWords = map[string]i18n.Key{
	"available": "job.waiting", "scheduled": "job.scheduled", "pending": "job.pending", "running": "job.running",
	"retryable": "job.retryable", "discarded": "job.discarded", "completed": "job.completed", "cancelled": "job.cancelled",
}

func jobWord(ctx context.Context, j Job) string {
	if j.Stopping {
		return i18n.T(ctx, "job.stopping")
	}
	return word(ctx, jobWords, j.State)
}

func jobKind(j Job) string {
	switch j.State {
	case "completed":
		return "ok"
	case "retryable":
		return "warn"
	case "discarded":
		return "bad"
	case "running":
		return "busy"
	}
	return "off"
}

func jobRowKind(state string) string {
	switch state {
	case "retryable":
		return "warn"
	case "discarded":
		return "bad"
	}
	return ""
}
