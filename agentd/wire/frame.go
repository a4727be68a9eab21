package wire

import (
	"encoding/json"
	"time"
)

// Type names what the body of a frame is.
type Type string

// The types of the handshake, in the order in which they are sent.
const (
	TypeChallenge Type = "challenge" // hub → agentd: Challenge
	TypeAuth      Type = "auth"      // agentd → hub: Auth
	TypeWelcome   Type = "welcome"   // hub → agentd: Welcome
)

// Types that either side may send.
const (
	TypeAck  Type = "ack"  // no body; Frame.Ack is the highest reliable Seq applied so far
	TypePart Type = "part" // Part: a piece of a frame that is larger than MaxFrame
)

// Types that agentd sends.
const (
	TypeHeartbeat         Type = "heartbeat"          // ephemeral: Heartbeat
	TypeChatDelta         Type = "chat.delta"         // ephemeral: RunEvent of event delta
	TypeChatEvent         Type = "chat.event"         // ephemeral: RunEvent of any other event
	TypeRPCReply          Type = "rpc.reply"          // ephemeral: RPCReply
	TypeApprovalRequest   Type = "approval.request"   // reliable: Approval
	TypeApprovalUpdate    Type = "approval.update"    // reliable: ApprovalUpdate
	TypeReceiptCheckpoint Type = "receipt.checkpoint" // reliable: Checkpoint
	TypeConfigState       Type = "config.state"       // reliable: ConfigState
	TypeAlert             Type = "alert"              // reliable: Alert
	TypeApproverState     Type = "approver.state"     // reliable: ApproverState
	TypeSupportState      Type = "support.state"      // reliable: SupportState
	TypeSupportLine       Type = "support.line"       // reliable: SupportLine
	TypeUsageReport       Type = "usage.report"       // reliable: UsageReport
)

// Types that the hub sends.
const (
	TypeRPCRequest       Type = "rpc.request"       // ephemeral: RPCRequest
	TypeChatMessage      Type = "chat.message"      // reliable, sealed: ChatMessage
	TypeApprovalDecision Type = "approval.decision" // reliable, sealed: Decision
	TypeRunCancel        Type = "run.cancel"        // reliable: RunCancel
	TypeConfigPush       Type = "config.push"       // reliable: Config
	TypeSupportClose     Type = "support.close"     // reliable: SupportClose
)

// Reliable says whether frames of type t carry a Seq, are kept by the sender until acknowledged, are sent again
// after a reconnect, and are applied once by id. All others may be lost.
func (t Type) Reliable() bool {
	switch t {
	case TypeApprovalRequest, TypeApprovalUpdate, TypeReceiptCheckpoint, TypeConfigState, TypeAlert, TypeApproverState,
		TypeSupportState, TypeSupportLine, TypeSupportClose, TypeUsageReport,
		TypeChatMessage, TypeApprovalDecision, TypeRunCancel, TypeConfigPush:
		return true
	}
	return false
}

// Sealed says whether the body of a frame of type t is a Sealed value, so that the hub can keep the frame for a
// server that is away without being able to read it.
func (t Type) Sealed() bool { return t == TypeChatMessage || t == TypeApprovalDecision }

// Frame is one message on the link. Seq and Ack count the reliable frames of one direction, from 1.
type Frame struct {
	V    int             `json:"v"`
	ID   string          `json:"id"` // UUIDv7; a frame with an id already applied is acknowledged and dropped
	Type Type            `json:"type"`
	Seq  int64           `json:"seq,omitempty"` // set on reliable types only
	Ack  int64           `json:"ack,omitempty"` // highest reliable Seq of the other direction that was applied
	Time time.Time       `json:"time"`          // when the sender made it, UTC
	Body json.RawMessage `json:"body,omitempty"`
}

// Part is a slice of the JSON of a frame that is larger than MaxFrame. The receiver joins all parts of one
// Of in the order of Index and then treats the result as one frame.
type Part struct {
	Of    string `json:"of"` // the id of the frame that was cut
	Index int    `json:"index"`
	Total int    `json:"total"`
	Data  []byte `json:"data"`
}
