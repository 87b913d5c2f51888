#!/bin/sh
set -eu
mkdir -p /etc/nutcracker
cat > /etc/nutcracker/nutcracker.yml <<'EOF'
blue:
  listen: 127.0.0.1:22121
  servers:
   - 10.0.0.1:11211:1
   - 10.0.0.2:11211:1
EOF
sudo tee /etc/nutcracker/green.yml >/dev/null <<-END
	green: { listen: "127.0.0.1:22122" }
	END
service nutcracker restart
