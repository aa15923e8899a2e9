using System;
using System.Collections.Generic;
using Example.TunnelEdge;
using Example.TunnelEdge.Inputs;
using Pulumi;

return await Deployment.RunAsync(() =>
{
    var account = new Provider("account", new()
    {
        ApiKey = Output.CreateSecret(Environment.GetEnvironmentVariable("TUNNEL_EDGE_API_KEY")!),
    });
    var api = new TlsEdge("api", new()
    {
        Hostports = new[] { "api.example.com:443" },
        TlsTermination = new TlsTerminationArgs { TerminateAt = TerminateAt.Edge },
    }, new CustomResourceOptions { Provider = account });
    var key = new ApiKey("key", new() { Description = "rehearsal" });
    var online = GetTunnels.Invoke(new() { Region = "eu" });
    return new Dictionary<string, object?>
    {
        ["hostports"] = api.Hostports,
        ["token"] = key.Token,
        ["online"] = online.Apply(found => found.Tunnels.Length),
    };
});
