package early

import "testing"

func TestOverride(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"LANG": "C"}, ""},
		{map[string]string{"LANG": "C.UTF-8"}, "en"},
		{map[string]string{"LC_ALL": "POSIX.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"},
		{map[string]string{"LC_ALL": "zh_CN.UTF-8", "LANG": "C.UTF-8"}, ""},
		{map[string]string{"LANG": "C.UTF-8", "LANGUAGE": "zh_CN"}, ""},
		{map[string]string{"LANG": "en_US.UTF-8"}, ""},
	} {
		if got := override(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}
