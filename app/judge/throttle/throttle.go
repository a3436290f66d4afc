package throttle

import "rentgen/app/judge/series"

// Rules returns the rules of this room.
func Rules() []series.Rule { return nil }
