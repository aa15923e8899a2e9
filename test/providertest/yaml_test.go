// The YAML example in providertest, Pulumi's own tests for providers. scripts/test/providertest.mjs starts the emulator, and
// says where the plugin and a copy of the example are.
package providertest

import (
	"os"
	"testing"

	"github.com/pulumi/providertest/pulumitest"
	"github.com/pulumi/providertest/pulumitest/assertpreview"
	"github.com/pulumi/providertest/pulumitest/assertrefresh"
	"github.com/pulumi/providertest/pulumitest/optnewstack"
	"github.com/pulumi/providertest/pulumitest/opttest"
)

const name = "tunnel-edge"

func TestYaml(t *testing.T) {
	plugin, example := os.Getenv("PROVIDERTEST_PLUGIN"), os.Getenv("PROVIDERTEST_EXAMPLE")
	for kind, provider := range map[string]opttest.Option{
		"installed": opttest.LocalProviderPath(name, plugin),
		"attached":  opttest.AttachProviderBinary(name, plugin),
	} {
		t.Run(kind, func(t *testing.T) {
			// It is destroyed at the end.
			stack := pulumitest.NewPulumiTest(t, example, provider, opttest.SkipInstall())
			stack.Preview(t)
			up := stack.Up(t)
			assertpreview.HasNoChanges(t, stack.Preview(t))
			assertrefresh.HasNoChanges(t, stack.Refresh(t))
			assertpreview.HasNoChanges(t, stack.Preview(t))

			keep := opttest.NewStackOptions(optnewstack.DisableAutoDestroy())
			other := pulumitest.NewPulumiTest(t, example, provider, opttest.SkipInstall(), keep)
			id := up.Outputs["sshEdge"].Value.(string)
			other.Import(t, name+":index:TcpEdge", "ssh", id, "", "--generate-code=false")
		})
	}
}
