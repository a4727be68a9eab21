package channel

// slackManifest makes an app at Slack with everything that the team needs there, and no more: it reads what is written to it in private or
// names it, answers, also with files, and fetches what is attached.
const slackManifest = `{
  "display_information": { "name": "Team" },
  "features": {
    "app_home": { "home_tab_enabled": false, "messages_tab_enabled": true, "messages_tab_read_only_enabled": false },
    "bot_user": { "display_name": "Team", "always_online": true },
    "slash_commands": [
      { "command": "/team", "description": "Tell the team", "usage_hint": "new, stop, status, help", "should_escape": false }
    ]
  },
  "oauth_config": {
    "scopes": {
      "bot": ["app_mentions:read", "chat:write", "commands", "files:read", "files:write", "im:history", "im:write", "users:read"]
    }
  },
  "settings": {
    "event_subscriptions": { "bot_events": ["app_mention", "message.im"] },
    "interactivity": { "is_enabled": true },
    "org_deploy_enabled": false,
    "socket_mode_enabled": true,
    "token_rotation_enabled": false
  }
}`
