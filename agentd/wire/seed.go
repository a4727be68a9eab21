package wire

// Seed is the owner's first key, as whoever sets a server up leaves it in the state directory before the first start: made
// by the browser that ordered, which keeps the private half.
type Seed struct {
	SPKI    string  `json:"spki"` // base64url without padding, DER
	Kind    KeyKind `json:"kind"` // BrowserKey, or PasskeyKey where the device offered one
	Label   string  `json:"label"`
	Address string  `json:"address"`       // the mail address that ordered: inside as soon as the hub reports it proven
	Box     *BoxKey `json:"box,omitempty"` // to which the recovery code is sealed; nil: none is made

	Credential string `json:"credential_id,omitempty"` // of a passkey alone, as in Enrolment
	Origin     string `json:"origin,omitempty"`        // of a passkey alone: of the hub's pages, where it was made
}

// AddedByOrder stands in ApproverKey.AddedBy of the key that a Seed brought.
const AddedByOrder = "order"
