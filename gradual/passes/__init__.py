"""Passes: functions from core to core that keep what every program means.   [pass]"""
