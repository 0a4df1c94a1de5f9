"""starmin"""
