package account

import "gatehouse/app/fault"

// Right is what a person of a business needs for something: each route of the portal and of the customers' API states one.
type Right string

// The rights.
const (
	Look    Right = "look"    // each person of the business: see what happens, and one's own account
	Chat    Right = "chat"    // talk with the team
	Approve Right = "approve" // decide requests
	Manage  Right = "manage"  // owners alone: people, rules, secrets, devices, settings and data of the business
)

// Rights is what a person of a business may do. What is no role may do nothing.
type Rights struct {
	Role    Role
	Chat    bool // of a member; owners may
	Approve bool // likewise
}

// May says whether the rights include one.
func (r Rights) May(right Right) bool {
	if r.Role == Owner {
		return right.known()
	}
	if r.Role != Member {
		return false
	}
	switch right {
	case Look:
		return true
	case Chat:
		return r.Chat
	case Approve:
		return r.Approve
	}
	return false
}

func (r Right) known() bool {
	switch r {
	case Look, Chat, Approve, Manage:
		return true
	}
	return false
}

// Refusals of what a person's rights lack. Each says who can change that.
var (
	errManage = fault.New(fault.Forbidden, "owner-needed", "person is no owner",
		"Only an owner of your business can do this. Nothing was changed. Ask an owner.")
	errChat = fault.New(fault.Forbidden, "chat-right", "person lacks the right to chat",
		"You may not talk with the team. Nothing was sent. An owner of your business can allow it under Settings, People.")
	errApprove = fault.New(fault.Forbidden, "approve-right", "person lacks the right to approve",
		"You may not decide requests. Nothing was decided. An owner of your business can allow it under Settings, People.")
)

// Refused is what somebody reads who lacks a right.
func Refused(right Right) error {
	switch right {
	case Chat:
		return errChat
	case Approve:
		return errApprove
	}
	return errManage
}

// Require refuses whoever lacks a right.
func (r Rights) Require(right Right) error {
	if r.May(right) {
		return nil
	}
	return Refused(right)
}
