package talk

import "context"

// answered returns why nobody answers lines of a pipe, unless a line named a model meanwhile.
func (c *chat) answered(ctx context.Context) error {
	if c.mute == nil || c.env.Begin["model"] != "" {
		return nil
	}
	set, err := c.env.Settings(ctx)
	if err == nil && set["model"] == "" {
		err = c.mute
	}
	return err
}
