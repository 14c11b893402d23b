package cli

// SelfID is the flag's value, else the session that dsh's own shell says one is
// in (DSH_SESSION_ID), else empty.
func (c *Call) SelfID(flag string) string {
	if c.IsSet(flag) {
		return c.String(flag)
	}
	return c.Sys.Getenv("DSH_SESSION_ID")
}
