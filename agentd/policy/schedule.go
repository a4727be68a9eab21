package policy

// ScheduleCreate classifies planning something for later. What is done then passes the gate when it is done, at no higher level
// and behind the same content from outside.
func ScheduleCreate(a ScheduleCreateArgs) Class {
	if a.WatchTool != "" {
		return Class{
			Tier: Yellow, Action: "team.schedule.create",
			Says: "Watch “" + visible(a.When) + "” with " + visible(a.WatchTool) + ": " + visible(a.Task),
		}
	}
	if a.Remind {
		return Class{Tier: Yellow, Action: "team.schedule.create", Says: "Remind you “" + visible(a.When) + "”: " + visible(a.Task)}
	}
	return Class{Tier: Yellow, Action: "team.schedule.create", Says: "Plan “" + visible(a.When) + "”: " + visible(a.Task)}
}

// ScheduleList classifies looking at what is planned.
func ScheduleList() Class {
	return Class{Tier: Green, Action: "team.schedule.list", Says: "Look at the schedules"}
}

// ScheduleUpdate classifies changing a plan.
func ScheduleUpdate(a ScheduleUpdateArgs) Class {
	says := "Change the schedule " + visible(a.ID)
	for _, part := range []string{a.When, a.Task} {
		if part != "" {
			says += ": " + visible(part)
		}
	}
	return Class{Tier: Yellow, Action: "team.schedule.update", Says: says}
}

// ScheduleDelete classifies giving up a plan: what it has done stays on record, and it can be made again.
func ScheduleDelete(a ScheduleDeleteArgs) Class {
	return Class{Tier: Yellow, Action: "team.schedule.delete", Says: "Delete the schedule " + visible(a.ID)}
}
