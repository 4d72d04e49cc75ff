package turn

import (
	"cmp"
	"context"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk/margin"
)

// Fill sets the mode and model of a turn from the settings of its folder if neither it nor its conversation names
// them. tier applies to the model of the flags or, without one, of the conversation. The engine must be open.
func Fill(ctx context.Context, a *call.Call, say turns.Say, tier string) (turns.Say, error) {
	l := conversation.In(a.Engine)
	t, err := l.Open(ctx, say.Tree)
	if err != nil {
		return say, err
	}
	path, err := l.Path(ctx, t.Head)
	if err != nil {
		return say, err
	}
	set := margin.Settings(path)
	if cfg, err := a.Home.Settings.Of(t.Dir); err != nil {
		return say, err
	} else if say.Mode == "" && set["mode"] == "" {
		say.Mode = permission.Mode(cfg.String("permission.mode"))
	}
	if say.Model != "" || tier != "" || set["model"] == "" {
		say.Model, err = a.Home.Seats.Choose(ctx, cmp.Or(say.Model, set["model"]), tier)
	}
	return say, err
}
