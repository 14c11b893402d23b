package inbox

// SetProbe has f called before every operation on the disk, whose verb it is
// given; an error of f is the operation's.
func (b *Inbox) SetProbe(f func(op string) error) { b.probe = f }

// BootID is what stands beside the counter.
func BootID() string { return bootID() }

// Driver is who claimed it.
func (c *Claim) Driver() *Driver { return c.d }
