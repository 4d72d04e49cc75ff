package handle

// Standing says how what lies behind a handle stands to what a conversation holds of it.
type Standing string

// The standings.
const (
	Same    Standing = "same"
	Changed Standing = "changed"
	Gone    Standing = "gone" // it cannot be looked at any more
	Unseen  Standing = "new"  // the conversation has not looked at it before
)
