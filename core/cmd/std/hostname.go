package std

import (
	"strings"

	"eryxsh/core/cmd"
)

func hostname() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	return &cmd.Command{
		Name: "hostname", Summary: "show the system's host name", Usage: "hostname [-a|-A|-d|-f|-i|-I|-s|-y]", Origin: "net-tools hostname 3.23",
		Options: []cmd.Option{
			o('a', "alias", "alias names"), o('A', "all-fqdns", "all long host names (FQDNs)"), o('d', "domain", "DNS domain name"),
			o('f', "fqdn", "long host name (FQDN)"), o(0, "long", "long host name (FQDN)"), o('i', "ip-address", "addresses for the host name"),
			o('I', "all-ip-addresses", "all addresses for the host"), o('s', "short", "short host name"),
			o('y', "yp", "NIS/YP domain name"), o(0, "nis", "NIS/YP domain name"),
			{Short: 'b', Long: "boot", Help: "set default hostname if none available", Missing: true},
			{Short: 'F', Long: "file", Arg: cmd.Required, Meta: "FILE", Help: "read host name from given file", Missing: true},
		},
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) > 0 {
				c.Errorf("you must be root to change the host name")
				return 1
			}
			name := c.Hostname()
			short, domain, _ := strings.Cut(name, ".")
			for _, f := range c.Flags {
				switch f.Name {
				case "s":
					name = short
				case "d":
					name = domain
				case "i":
					name = "127.0.0.1"
				case "I", "a", "A":
					name = ""
				case "y", "nis":
					c.Errorf("Local domain name not set")
					return 1
				}
			}
			c.Out.WriteString(name + "\n")
			return 0
		},
	}
}
